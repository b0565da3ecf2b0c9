/** Decides which of the addresses behind a name an attempt may use, once they are known. */
export interface AddressGate {
  /** Milliseconds for which the attempt must keep off the address; 0: it may use it. */
  waitMs(address: string): number;
  /** The attempt opens a connection to the address, or uses one. */
  use(address: string): void;
}

/** Lets every address pass. */
export const OPEN_GATE: AddressGate = { waitMs: () => 0, use: () => {} };

/** Why an attempt was not made: it must keep off every address of its endpoint for now. */
export class Snoozed extends Error {
  constructor(readonly afterMs: number) {
    super('The addresses of the endpoint get no more attempts for now.');
  }
}
