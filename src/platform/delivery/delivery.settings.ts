import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { splitPem } from '../network/trusted-roots.js';
import { outboxSettings } from '../outbox/outbox.settings.js';
import { declareSettings, type Refuse, type SettingsOf } from '../settings/declare-settings.js';
import {
  integer,
  isAddressOrCidr,
  isHostAndPort,
  list,
  nameServers,
  text,
} from '../settings/setting-kinds.js';

/** Settings of requests to receivers of records and events. */
export const deliverySettings = declareSettings({
  name: 'delivery',
  title: 'Requests to receivers',
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
    /** Empty: only the built-in authorities. */
    extraCaFile: text('FORWARDING_EXTRA_CA_FILE', {
      default: '',
      defaultShown: "in the demo: the demo receiver's",
      meaning:
        'PEM file of additional certificate authorities for receivers; removed ones (docs/security.md) stay untrusted',
      check: refuseOtherFiles,
    }),
    nameServers: nameServers('FORWARDING_NAME_SERVERS', {
      default: [],
      defaultShown: "the system's",
      meaning: "name servers that resolve receivers' hosts, `address` or `address:port`",
    }),
  },
  check: ({ timeoutMs }, read) => {
    const { leaseMs } = outboxSettings.settings;
    if (read.value(leaseMs) <= timeoutMs)
      read.refuse(
        leaseMs,
        'must be longer than FORWARDING_TIMEOUT_MS, otherwise in-flight messages are sent twice.',
      );
  },
});

export type DeliverySettings = SettingsOf<typeof deliverySettings>;

/** Refuses anything but a PEM file with certificate authorities. */
function refuseOtherFiles(file: string, refuse: Refuse): void {
  if (!existsSync(file)) return refuse('names a file that does not exist.');
  try {
    const blocks = splitPem(readFileSync(file, 'utf8'));
    for (const block of blocks) new X509Certificate(block);
    if (blocks.length === 0) refuse('names a file that contains no PEM certificate.');
  } catch {
    refuse('names a file whose PEM certificates cannot be parsed.');
  }
}
