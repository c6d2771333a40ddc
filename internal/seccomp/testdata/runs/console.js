for (let i = 0; i < 2e5; i++) console.log("line " + i)
