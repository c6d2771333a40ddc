const numbers = new Float64Array(5e6).map((_, i) => 5e6 - i)
numbers.sort()[0]
