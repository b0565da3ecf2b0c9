import { Injectable } from '@nestjs/common';
import { baseUrlOf } from '../../shared/base-url.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../settings/service.settings.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { type Checkpoint, checkpointText, readCheckpoint } from '../domain/checkpoint.js';
import { logFolder } from '../domain/log.js';
import {
  openNote,
  signersOf,
  signNote,
  type SignerKey,
  signerOf,
  verifierLine,
} from '../domain/signed-note.js';

/** Signs checkpoints, and opens those that we have signed. */
@Injectable()
export class LogSigner {
  /** The prefix of this service's log origins: host, and the port unless it is that of https. */
  private readonly host: string;
  /** By host: those of logs that were ever begun. */
  private readonly keys = new Map<string, SignerKey[]>();

  constructor(
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.host = new URL(baseUrlOf(service)).host;
  }

  /** Whether anything is sealed at all. */
  get isOn(): boolean {
    return this.settings.keys.length > 0 && this.settings.sealSeconds > 0;
  }

  /** The first line of a log's checkpoints, by its name; what it was at the first stays. */
  originOf(name: string): string {
    return `${this.host}/${logFolder(name)}`;
  }

  /** The verifier keys of this process under a log's name, the one that signs first. */
  verifiersOf(origin: string): string[] {
    return this.keysOf(origin).map(verifierLine);
  }

  /** A signed checkpoint. */
  sign(checkpoint: Checkpoint): string {
    const [key] = this.keysOf(checkpoint.origin);
    if (!key) throw new Error('EVIDENCE_KEYS is empty: no key to sign checkpoints with.');
    return signNote(checkpointText(checkpoint), [key]);
  }

  /** A signed text, whose lines all end with a newline. */
  signText(text: string, origin: string): string {
    const [key] = this.keysOf(origin);
    if (!key) throw new Error('EVIDENCE_KEYS is empty: no key to sign with.');
    return signNote(text, [key]);
  }

  /** Whether the key that signs now is named among the signers of a note. */
  hasSigned(note: string, origin: string): boolean {
    const [current] = this.verifiersOf(origin);
    return current !== undefined && signersOf(note).some((signer) => current.startsWith(`${signer}+`));
  }

  /** The checkpoint in a note that one of the keys has signed; null where none of them has. */
  open(note: string, origin: string): Checkpoint | null {
    const text = openNote(note, this.keysOf(origin));
    return text === null ? null : readCheckpoint(text);
  }

  /** Keys go by the host of their log: it may have been another one at its first checkpoint. */
  private keysOf(origin: string): SignerKey[] {
    const host = origin.slice(0, origin.indexOf('/'));
    const keys = this.keys.get(host) ?? this.settings.keys.map(({ key }) => signerOf(host, key));
    this.keys.set(host, keys);
    return keys;
  }
}
