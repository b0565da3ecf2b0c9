import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { outboxSettings } from '../outbox/outbox.settings.js';
import { flag, integer, isAddressOrCidr, isHostAndPort, list, text } from '../settings/setting-kinds.js';
import { declareSettings, type Refuse, type SettingsOf } from '../settings/declare-settings.js';

const CERTIFICATE_BLOCK = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g;

/** Sending records to their owners' receivers. */
export const forwardingSettings = declareSettings({
  name: 'forwarding',
  title: 'Forwarding',
  settings: {
    connectTimeoutMs: integer('FORWARDING_CONNECT_TIMEOUT_MS', {
      default: 5000,
      min: 100,
      max: 60_000,
      meaning: 'timeout of DNS, connect, and TLS together',
    }),
    timeoutMs: integer('FORWARDING_TIMEOUT_MS', {
      default: 15_000,
      min: 100,
      max: 120_000,
      meaning: 'timeout of an entire attempt',
    }),
    holdHours: integer('FORWARDING_HOLD_HOURS', {
      default: 72,
      min: 0,
      max: 720,
      meaning:
        'maximum time that a record is held for an unavailable receiver before it is attempted anyway; 0 turns holds off',
    }),
    allowedPrivateTargets: list('FORWARDING_ALLOWED_PRIVATE_TARGETS', {
      default: [],
      defaultShown: "in the demo: the demo receiver's",
      meaning: '`host:port`, addresses, or CIDR ranges that may be reached although not public',
      check: (targets, refuse) => {
        for (const target of targets) {
          if (!isAddressOrCidr(target) && !isHostAndPort(target))
            refuse(`must list host:port, addresses, or CIDR ranges; "${target}" is invalid.`);
        }
      },
    }),
    /** Empty: the built-in authorities alone. */
    extraCaFile: text('FORWARDING_EXTRA_CA_FILE', {
      default: '',
      defaultShown: "in the demo: the demo receiver's",
      meaning: 'PEM file of additional certificate authorities for receivers',
      check: refuseOtherFiles,
    }),
    nameServers: list('FORWARDING_NAME_SERVERS', {
      default: [],
      defaultShown: "the system's",
      meaning: "name servers that resolve receivers' hosts, `address` or `address:port`",
      check: (servers, refuse) => {
        for (const server of servers) {
          if (!isAddressAndPort(server))
            refuse(`must list addresses, each with or without a port; "${server}" is invalid.`);
        }
      },
    }),
    legacyCustomEndpoint: flag('LEGACY_CUSTOM_ENDPOINT', {
      words: ['on', 'off'],
      default: true,
      meaning: '`off` ignores the legacy field `custom_endpoint` for the entire service',
    }),
  },
  check: ({ timeoutMs }, read) => {
    const { leaseMs } = outboxSettings.settings;
    if (read.value(leaseMs) <= timeoutMs) {
      read.refuse(
        leaseMs,
        'must be longer than FORWARDING_TIMEOUT_MS, otherwise in-flight messages are sent twice.',
      );
    }
  },
});

export type ForwardingSettings = SettingsOf<typeof forwardingSettings>;

/** `192.0.2.1`, `192.0.2.1:53`, `2001:db8::1` or `[2001:db8::1]:53`. */
function isAddressAndPort(value: string): boolean {
  const [, bracketed, bare = '', port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(value) ?? [];
  const known = bracketed === undefined ? isIP(bare) === 4 : isIP(bracketed) === 6;
  return isIP(value) !== 0 || (known && Number(port) >= 1 && Number(port) <= 65_535);
}

/** A file that is there and holds certificate authorities in PEM. */
function refuseOtherFiles(file: string, refuse: Refuse): void {
  if (!existsSync(file)) return refuse('names a file that does not exist.');
  try {
    const blocks = readFileSync(file, 'utf8').match(CERTIFICATE_BLOCK) ?? [];
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length === 0) refuse('names a file that contains no PEM certificate.');
  } catch {
    refuse('names a file whose PEM certificates cannot be parsed.');
  }
}
