declare namespace WebAssembly {
  type BufferSource = ArrayBuffer | ArrayBufferView;
  type ValueType = "i32" | "i64" | "f32" | "f64" | "v128" | "anyfunc" | "externref";
  type ExportValue = Function | Global | Memory | Table | Tag;
  type Imports = Record<string, Record<string, ExportValue | number | bigint>>;

  class Module {
    constructor(bytes: BufferSource);
    static imports(module: Module): { module: string; name: string; kind: string }[];
    static exports(module: Module): { name: string; kind: string }[];
    static customSections(module: Module, name: string): ArrayBuffer[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, any>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc" | "externref"; initial: number; maximum?: number }, value?: any);
    readonly length: number;
    get(index: number): any;
    set(index: number, value?: any): void;
    grow(by: number, value?: any): number;
  }
  class Global<T = any> {
    constructor(descriptor: { value: ValueType; mutable?: boolean }, value?: T);
    value: T;
    valueOf(): T;
  }
  class Tag {
    constructor(type: { parameters: ValueType[] });
  }
  const JSTag: Tag;
  class Exception {
    constructor(tag: Tag, payload: any[]);
    is(tag: Tag): boolean;
    getArg(tag: Tag, index: number): any;
  }
  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}

  function validate(bytes: BufferSource): boolean;
  function compile(bytes: BufferSource): Promise<Module>;
  function instantiate(bytes: BufferSource, imports?: Imports): Promise<{ module: Module; instance: Instance }>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
