// Classes: private fields, inheritance, static members, accessors and custom errors.
class InsufficientFunds extends Error {
  constructor(needed, available) {
    super(`needs ${needed}, has ${available}`);
    this.name = 'InsufficientFunds';
    this.shortBy = needed - available;
  }
}

class Account {
  static #count = 0;
  #balance = 0;
  history = [];

  constructor(owner) {
    this.owner = owner;
    this.id = ++Account.#count;
  }
  get balance() {
    return this.#balance;
  }
  deposit(amount) {
    this.#balance += amount;
    this.history.push({ type: 'deposit', amount });
    return this;
  }
  withdraw(amount) {
    if (amount > this.available) throw new InsufficientFunds(amount, this.available);
    this.#balance -= amount;
    this.history.push({ type: 'withdraw', amount });
    return this;
  }
  get available() {
    return this.#balance;
  }
  static get count() {
    return Account.#count;
  }
}

class CreditAccount extends Account {
  constructor(owner, limit) {
    super(owner);
    this.limit = limit;
  }
  get available() {
    return super.available + this.limit;
  }
}

const checking = new Account('Ada').deposit(100);
const credit = new CreditAccount('Bob', 50).deposit(10).withdraw(40);
let caught;
try {
  checking.withdraw(250);
} catch (error) {
  caught = error;
}

const report = {
  balances: [checking.balance, credit.balance],
  accounts: Account.count,
  isError: caught instanceof InsufficientFunds && caught instanceof Error,
  message: String(caught),
  shortBy: caught.shortBy,
  history: credit.history,
};
report;
