import { Injectable } from '@nestjs/common';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { type EvidenceSettings, evidenceSettings } from '../evidence.settings.js';
import { type Checkpoint, checkpointText, readCheckpoint } from '../domain/checkpoint.js';
import { logFolder } from '../domain/log.js';
import {
  openNote,
  listSigners,
  signNote,
  type SignerKey,
  createSigner,
  verifierLine,
} from '../domain/signed-note.js';

/** Signs checkpoints, and verifies checkpoints of this service. */
@Injectable()
export class LogSigner {
  /** The prefix of this service's log origins: host, and the port unless it is the default of https. */
  private readonly host: string;
  /** By host, which may have changed since a log was started. */
  private readonly keysByHost = new Map<string, SignerKey[]>();

  constructor(
    @InjectSettings(evidenceSettings) private readonly settings: EvidenceSettings,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.host = new URL(resolveBaseUrl(service)).host;
  }

  /** Whether evidence is on. */
  get isOn(): boolean {
    return this.settings.keys.length > 0 && this.settings.sealSeconds > 0;
  }

  /** Whether there is a key. */
  get canSign(): boolean {
    return this.settings.keys.length > 0;
  }

  /** The first line of a log's checkpoints, by its name. A log keeps the origin with which it was started. */
  logOrigin(name: string): string {
    return `${this.host}/${logFolder(name)}`;
  }

  /** The public keys of this process for a log, the current key first. */
  verifierLines(origin: string): string[] {
    return this.keysFor(origin).map(verifierLine);
  }

  sign(checkpoint: Checkpoint): string {
    const [key] = this.keysFor(checkpoint.origin);
    if (!key) throw new Error('EVIDENCE_KEYS is empty: no key to sign checkpoints with.');
    return signNote(checkpointText(checkpoint), [key]);
  }

  /** Signs a text, whose lines all end with a newline. */
  signText(text: string, origin: string): string {
    const [key] = this.keysFor(origin);
    if (!key) throw new Error('EVIDENCE_KEYS is empty: no key to sign with.');
    return signNote(text, [key]);
  }

  /** Whether the current key is among the signers of a note. */
  hasSigned(note: string, origin: string): boolean {
    const [current] = this.verifierLines(origin);
    return current !== undefined && listSigners(note).some((signer) => current.startsWith(`${signer}+`));
  }

  /** The checkpoint in a note; null if none of the keys has signed it. */
  open(note: string, origin: string): Checkpoint | null {
    const text = openNote(note, this.keysFor(origin));
    return text === null ? null : readCheckpoint(text);
  }

  /** Keys are named after the host of their log, which may have been another one when the log was started. */
  private keysFor(origin: string): SignerKey[] {
    const host = origin.slice(0, origin.indexOf('/'));
    const keys = this.keysByHost.get(host) ?? this.settings.keys.map(({ key }) => createSigner(host, key));
    this.keysByHost.set(host, keys);
    return keys;
  }
}
