/** Limits attempts by address, once the addresses of a hostname are resolved. */
export interface AddressLimiter {
  /** Milliseconds until the attempt may use the address; 0: now. */
  waitMs(address: string): number;
  /** Records that the attempt opens or reuses a connection to the address. */
  use(address: string): void;
}

export const NO_LIMIT: AddressLimiter = { waitMs: () => 0, use: () => {} };

/** The attempt was not made, because every address of its endpoint is over its limit. */
export class Snoozed extends Error {
  constructor(readonly afterMs: number) {
    super('The addresses of the endpoint get no more attempts for now.');
  }
}
