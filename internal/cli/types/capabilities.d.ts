declare module "realm:capabilities" {
  /** The value of a granted environment variable. */
  export function environment(name: EnvironmentName): Promise<string>;
  /** The value of a granted secret. */
  export function secret(name: SecretName): Promise<string>;

  export interface Range {
    /** First byte, counted from 0. */
    offset?: number;
    /** How many bytes; at most maxReadBytes. */
    length?: number;
  }
  /** Reads UTF-8 text beneath a granted read root. Other bytes are an error: use readBytes. */
  export function readText(path: string, range?: Range): Promise<string>;
  export function readBytes(path: string, range?: Range): Promise<Uint8Array>;
  export type EntryType = "file" | "directory" | "symlink" | "other";
  export function list(path: string): Promise<{ name: string; type: EntryType; size: number }[]>;
  export function stat(path: string): Promise<{ type: EntryType; size: number; modifiedMs: number }>;
  /** Replaces a file beneath a granted write root as a whole: the old content or the new, never a part. */
  export function writeText(path: string, content: string): Promise<void>;
  export function writeBytes(path: string, content: ArrayBuffer | ArrayBufferView): Promise<void>;
  export function appendText(path: string, content: string): Promise<void>;
  export function makeDirectory(path: string): Promise<void>;
  export function remove(path: string): Promise<void>;

  export interface RequestInit {
    method?: string;
    headers?: Record<string, string> | Iterable<[string, string]>;
    body?: string | ArrayBuffer | ArrayBufferView | URLSearchParams;
    /** Ends the wait for the answer. What was sent is not called back. */
    signal?: AbortSignal | null;
    redirect?: "follow";
  }
  export interface ResponseHeaders extends Iterable<[string, string]> {
    get(name: string): string | null;
    has(name: string): boolean;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    entries(): IterableIterator<[string, string]>;
    forEach(visit: (value: string, name: string, parent: ResponseHeaders) => void): void;
  }
  export interface Response {
    readonly url: string;
    readonly status: number;
    readonly statusText: string;
    readonly ok: boolean;
    readonly redirected: boolean;
    readonly headers: ResponseHeaders;
    readonly bodyUsed: boolean;
    text(): Promise<string>;
    json(): Promise<any>;
    bytes(): Promise<Uint8Array>;
    arrayBuffer(): Promise<ArrayBuffer>;
  }
  /** Sends a request to a granted origin. */
  export function fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  export function fetchText(
    url: string | URL,
    init?: RequestInit,
  ): Promise<{ status: number; headers: Record<string, string>; body: string }>;

  /** How a command ended. Where its output is no UTF-8 the text has U+FFFD; the bytes are beside it. */
  export interface CommandResult {
    code: number;
    signal: string | null;
    stdout: string;
    stderr: string;
    readonly stdoutBytes: Uint8Array;
    readonly stderrBytes: Uint8Array;
  }
  /** Runs a granted executable, jailed, without a shell. */
  export function spawn(
    path: string,
    args?: string[],
    options?: { stdin?: string | ArrayBuffer | ArrayBufferView; signal?: AbortSignal | null },
  ): Promise<CommandResult>;

  /** Calls a granted host tool. */
  export function request(method: ToolName, params?: unknown): Promise<any>;
  export function reportStatus(stage: string, message: string): void;

  /** An operation was refused, or a limit is exhausted (capability "resource.…"). */
  export class SandboxDeniedError extends Error {
    readonly capability: string;
    readonly target?: string;
    readonly hint?: string;
  }
  /** An operation was allowed and then failed. */
  export class SandboxOperationError extends Error {
    readonly capability: string;
    readonly target?: string;
    /** Such as "ENOENT" or "ECONNREFUSED". */
    readonly code: string;
  }
  /** The run was aborted while the operation was pending. */
  export class SandboxAbortedError extends Error {}
}

declare module "fino:ai/sandbox/capabilities" {
  export * from "realm:capabilities";
}
