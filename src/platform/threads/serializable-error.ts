/** An error that is passed between threads: Node's own serialization loses its code. */
export interface SerializableError {
  name: string;
  message: string;
  stack: string | undefined;
  code: unknown;
  cause: SerializableError | undefined;
}

export function toSerializable(thrown: unknown): SerializableError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    code: 'code' in error && typeof error.code === 'string' ? error.code : undefined,
    cause: cause === undefined ? undefined : toSerializable(cause),
  };
}

export function fromSerializable({ name, message, stack, code, cause }: SerializableError): Error {
  const error = new Error(message, cause && { cause: fromSerializable(cause) });
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
