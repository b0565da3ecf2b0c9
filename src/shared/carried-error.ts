/** An error that is passed between threads: Node's own serialization loses its code. */
export interface CarriedError {
  name: string;
  message: string;
  stack: string | undefined;
  code: unknown;
  cause: CarriedError | undefined;
}

export function carriedOf(thrown: unknown): CarriedError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  return {
    ...{ name, message, stack },
    code: 'code' in error && typeof error.code === 'string' ? error.code : undefined,
    cause: cause === undefined ? undefined : carriedOf(cause),
  };
}

export function errorOf({ name, message, stack, code, cause }: CarriedError): Error {
  const error = new Error(message, cause && { cause: errorOf(cause) });
  return Object.assign(error, { name, stack }, code !== undefined && { code });
}
