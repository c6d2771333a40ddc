"x".repeat(2 ** 22)
