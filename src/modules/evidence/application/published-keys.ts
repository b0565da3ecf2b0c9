import { Injectable } from '@nestjs/common';
import { ROOT_LOG } from '../domain/log.js';
import { parseVerifier } from '../domain/signed-note.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';

/** The use of a key is stored at most this often, so its last signature may be this much later. */
const USE_STORED_EVERY_MS = 60_000;

/** The public keys of the logs, past and current. */
@Injectable()
export class PublishedKeys {
  constructor(
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /**
   * One verifier key per line, each below a comment with the day of its first signature, and of its
   * last one once another key signs: the verifier rejects its signatures of later records.
   */
  async text(): Promise<string> {
    const signed = await this.logs.usedKeys();
    const current = this.signer.verifierLines(this.signer.logOrigin(ROOT_LOG));
    const currentSignedAt = lastUse(signed, current[0]);
    const lines = signed.flatMap(({ verifier, firstSignedAt, lastSignedAt }) => {
      const hasEnded = !isSameKey(verifier, current[0]) && lastSignedAt < currentSignedAt;
      const until = hasEnded ? `, until ${day(new Date(lastSignedAt.getTime() + USE_STORED_EVERY_MS))}` : '';
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

/** When a key last signed, for any host; the epoch if it never did. */
function lastUse(signed: readonly { verifier: string; lastSignedAt: Date }[], key: string | undefined): Date {
  const uses = signed.filter(({ verifier }) => isSameKey(verifier, key));
  return new Date(Math.max(0, ...uses.map(({ lastSignedAt }) => lastSignedAt.getTime())));
}

/** A log that was started under another host uses the same key under another name. */
const isSameKey = (one: string, other: string | undefined): boolean =>
  other !== undefined && parseVerifier(one).publicKey.equals(parseVerifier(other).publicKey);

const day = (at: Date): string => at.toISOString().slice(0, 10);
