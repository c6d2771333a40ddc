function f() { f() }
try { f() } catch (e) { e.name }
