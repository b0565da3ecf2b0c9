import { Injectable } from '@nestjs/common';
import { ROOT_LOG } from '../domain/log.js';
import { verifierOf } from '../domain/signed-note.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';

/** The use of a key is written down at most so often: it may have signed so much later. */
const NOTED_EVERY_MS = 60_000;

/** The keys by which checkpoints are checked: those that have ever signed, and those that will. */
@Injectable()
export class PublishedKeys {
  constructor(
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /**
   * One verifier key a line, each below a comment with the day of its first signature, and of its last one once the key
   * that signs now has taken over: the verifier refuses what it signed of later records.
   */
  async text(): Promise<string> {
    const signed = await this.logs.verifiers();
    const current = this.signer.verifiersOf(this.signer.originOf(ROOT_LOG));
    const currentSignedAt = lastUse(signed, current[0]);
    const lines = signed.flatMap(({ verifier, firstSignedAt, lastSignedAt }) => {
      const hasEnded = !isSameKey(verifier, current[0]) && lastSignedAt < currentSignedAt;
      const until = hasEnded ? `, until ${day(new Date(lastSignedAt.getTime() + NOTED_EVERY_MS))}` : '';
      return [`# signs since ${day(firstSignedAt)}${until}`, verifier];
    });
    const known = new Set(signed.map(({ verifier }) => verifier));
    for (const verifier of current) if (!known.has(verifier)) lines.push('# not used yet', verifier);
    return [
      "# Keys of this service's logs, for verify.cjs and other readers of C2SP signed notes.",
      ...lines,
      '',
    ].join('\n');
  }
}

/** When a key signed last, under whatever host; the beginning of time where it has not. */
function lastUse(signed: readonly { verifier: string; lastSignedAt: Date }[], key: string | undefined): Date {
  const uses = signed.filter(({ verifier }) => isSameKey(verifier, key));
  return new Date(Math.max(0, ...uses.map(({ lastSignedAt }) => lastSignedAt.getTime())));
}

/** Logs that were begun under another host are signed by the same key under another name. */
const isSameKey = (one: string, other: string | undefined): boolean =>
  other !== undefined && verifierOf(one).publicKey.equals(verifierOf(other).publicKey);

const day = (at: Date): string => at.toISOString().slice(0, 10);
