import type { GivenText, RefusedStep, VerifiedProof } from '../../../../verify/verify.cjs';

/** What `verify/verify.cjs` offers, the script that anybody runs without us. */
type Verifier = typeof import('../../../../verify/verify.cjs');

/** A proof that does not hold, with the step that failed. */
export class RefusedProof extends Error {
  constructor(
    readonly step: RefusedStep,
    message: string,
  ) {
    super(message);
  }
}

/** This browser cannot check a proof, as where it lacks Ed25519. Says nothing about the proof. */
export class UncheckedProof extends Error {}

/**
 * Checks a proof in this browser, with the script that anybody can run.
 * @throws RefusedProof, UncheckedProof
 */
export async function verifyInBrowser(proof: GivenText, keys: GivenText): Promise<VerifiedProof> {
  const { verifyProof, CannotCheck } = await verifier();
  return verifyProof(proof, keys).catch((error: unknown) => {
    if (error instanceof CannotCheck) throw new UncheckedProof(error.message);
    const { step, message } = error as { step?: RefusedStep; message: string };
    throw step === undefined ? error : new RefusedProof(step, message);
  });
}

/** Loaded on demand, because few users verify. */
async function verifier(): Promise<Verifier> {
  const loaded = (await import('../../../../verify/verify.cjs')) as unknown as { default?: Verifier };
  // It finds no `module` in a page and leaves itself there; what builds the page may give it one.
  return (globalThis as { consentVerify?: Verifier }).consentVerify ?? (loaded.default as Verifier);
}
