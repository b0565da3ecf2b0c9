import { Injectable } from '@nestjs/common';
import { ROOT_LOG } from '../domain/log.js';
import { LogReader } from './log-reader.js';
import { LogSigner } from './log-signer.js';

/** The keys by which checkpoints are checked: those that have ever signed, and those that will. */
@Injectable()
export class PublishedKeys {
  constructor(
    private readonly logs: LogReader,
    private readonly signer: LogSigner,
  ) {}

  /** One verifier key a line, each behind a comment that says since when and until when it signs. */
  async text(): Promise<string> {
    const signed = await this.logs.verifiers();
    const current = this.signer.verifiersOf(this.signer.originOf(ROOT_LOG));
    const lines = signed.flatMap(({ verifier, firstSignedAt, lastSignedAt }) => [
      `# signs since ${day(firstSignedAt)}${verifier === current[0] ? '' : `, until ${day(lastSignedAt)}`}`,
      verifier,
    ]);
    const known = new Set(signed.map(({ verifier }) => verifier));
    for (const verifier of current)
      if (!known.has(verifier)) lines.push('# has not signed anything yet', verifier);
    return [
      '# Keys of the logs of this service, for verify.cjs and other readers of C2SP signed notes.',
      ...lines,
      '',
    ].join('\n');
  }
}

const day = (at: Date): string => at.toISOString().slice(0, 10);
