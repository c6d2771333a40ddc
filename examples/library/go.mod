module example.internal/library

go 1.26.8

require realm.internal/supervisor v0.0.0

replace realm.internal/supervisor => ../..
