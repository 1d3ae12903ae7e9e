/** What the library needs of a web `ReadableStream<Uint8Array>`; `Readable.toWeb(…)` fits uncast. */
export interface ByteReadable {
  getReader(): ByteReader;
}
export interface ByteReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

/** What the library needs of a web `WritableStream<Uint8Array>`; `Writable.toWeb(…)` fits uncast. */
export interface ByteWritable {
  getWriter(): ByteWriter;
}
export interface ByteWriter {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
  abort(reason?: unknown): Promise<void>;
  readonly ready: Promise<unknown>;
}

/** A stream that throws, where it should reject, or gives no promise, comes to the same. */
export function promised<T>(action: () => Promise<T>): Promise<T> {
  try {
    return Promise.resolve(action());
  } catch (thrown) {
    const error = thrown as Error;
    return Promise.reject(error);
  }
}
