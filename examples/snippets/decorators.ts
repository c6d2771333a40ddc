// TypeScript: method decorators and an abstract base class.
function logged<This, Args extends unknown[], Return>(
  method: (this: This, ...args: Args) => Return,
  context: ClassMethodDecoratorContext<This, (this: This, ...args: Args) => Return>,
) {
  return function (this: This, ...args: Args): Return {
    calls.push(`${String(context.name)}(${args.join(', ')})`);
    return method.call(this, ...args);
  };
}

const calls: string[] = [];

abstract class Shape {
  abstract area(): number;
  @logged
  scale(factor: number, label = 'x'): string {
    return `${label}${(this.area() * factor).toFixed(1)}`;
  }
}
class Circle extends Shape {
  constructor(readonly radius: number) {
    super();
  }
  override area(): number {
    return Math.PI * this.radius ** 2;
  }
}

const circle = new Circle(2);
export default { scaled: [circle.scale(2), circle.scale(0.5, 'y')], calls };
