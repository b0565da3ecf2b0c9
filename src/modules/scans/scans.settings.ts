import { declareSettings, derived, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { serviceSettings } from '../../platform/settings/service.settings.js';
import {
  flag,
  integer,
  isAddressOrCidr,
  isHostAndPort,
  list,
  nameServers,
  port,
  text,
} from '../../platform/settings/setting-kinds.js';

/** Fits into the comment of a `User-Agent`. */
const CONTACT = /^(https?:\/\/[\w.-]+(:\d+)?(\/[\w./~%@+-]*)?|[\w.+-]+@[\w-]+(\.[\w-]+)+)$/;

/** Scanning projects' sites with a browser (docs/scans.md). */
export const scanSettings = declareSettings({
  name: 'scans',
  title: 'Scans (docs/scans.md)',
  settings: {
    port: port('SCANNER_PORT', {
      default: 0,
      meaning: "port for a scanner's own health and metrics; 0: none",
    }),
    /** Empty: the usual paths. Checked where pages are visited: other processes may have no Chromium. */
    chromium: text('SCANNER_CHROMIUM', {
      default: '',
      defaultShown: 'the usual paths',
      meaning: 'path of the Chromium that visits pages',
    }),
    sandbox: flag('SCANNER_SANDBOX', {
      words: ['on', 'off'],
      default: true,
      meaning:
        '`off` runs Chromium without its sandbox, for containers without user namespaces; refused in production',
    }),
    allowedPrivateTargets: list('SCANNER_ALLOWED_PRIVATE_TARGETS', {
      default: [],
      defaultShown: "in the demo: the demo site's",
      meaning: '`host:port`, addresses, or CIDR ranges that scans may reach although not public',
      check: (targets, refuse) => {
        for (const target of targets) {
          if (!isAddressOrCidr(target) && !isHostAndPort(target))
            refuse(`must list host:port, addresses, or CIDR ranges; "${target}" is invalid.`);
        }
      },
    }),
    nameServers: nameServers('SCANNER_NAME_SERVERS', {
      default: [],
      defaultShown: "the system's",
      meaning: 'name servers that resolve the hosts of scanned pages, `address` or `address:port`',
    }),
    /** Empty: unknown. */
    region: text('SCANNER_REGION', {
      default: '',
      defaultShown: 'unknown',
      meaning: 'from where this scanner visits pages, e.g. `Germany`; reports and proofs name it',
    }),
    /** Empty: none is named. */
    contact: text('SCANNER_CONTACT', {
      default: '',
      defaultShown: 'none',
      meaning:
        'where owners of scanned sites can reach the operator, a URL or mail address; sent in `User-Agent`',
      check: (contact, refuse) => {
        if (contact !== '' && !CONTACT.test(contact)) refuse('must be an http(s) URL or a mail address.');
      },
    }),
    excludedHosts: list('SCANNER_EXCLUDED_HOSTS', {
      default: [],
      defaultShown: 'none',
      meaning: 'hostnames that scans never contact, with all hosts below them',
      check: (hosts, refuse) => {
        for (const host of hosts) {
          const isHost = URL.canParse(`http://${host}`) && new URL(`http://${host}`).host === host;
          if (!isHost) refuse(`must list hostnames in lower case, without ports; "${host}" is invalid.`);
        }
      },
    }),
    hostPagesPerMinute: integer('SCANNER_HOST_PAGES_PER_MINUTE', {
      default: 60,
      min: 1,
      max: 60,
      meaning: 'pages of one host that all scanners together load in a minute',
    }),
    hostScansPerDay: integer('SCANNER_HOST_SCANS_PER_DAY', {
      default: 50,
      min: 1,
      max: 10_000,
      meaning: 'scans of one host in 24 hours, over all projects',
    }),
    pageSeconds: integer('SCANNER_PAGE_SECONDS', {
      default: 30,
      min: 1,
      max: 120,
      meaning: 'time limit of one page',
    }),
    /** Representative pages that each consent state is tested on. */
    statePages: integer('SCANNER_STATE_PAGES', {
      default: 5,
      defaultShown: '5; in the demo: 2',
      min: 1,
      max: 10,
      meaning: 'pages that each consent state is tested on',
    }),
    dwellSeconds: integer('SCANNER_DWELL_SECONDS', {
      default: 8,
      defaultShown: '8; in the demo: 1',
      min: 1,
      max: 60,
      meaning: 'how long a page stays open in a consent state',
    }),
    stateMinutes: integer('SCANNER_STATE_MINUTES', {
      default: 10,
      min: 1,
      max: 60,
      meaning: 'time limit of the crawl, and of each consent state',
    }),
    scanMinutes: integer('SCANNER_SCAN_MINUTES', {
      default: 30,
      min: 1,
      max: 120,
      meaning: 'time limit of one scan',
    }),
    pageMegabytes: integer('SCANNER_PAGE_MB', {
      default: 50,
      min: 1,
      max: 1000,
      meaning: 'data that one page may transfer, in megabytes',
    }),
    scanMegabytes: integer('SCANNER_SCAN_MB', {
      default: 2000,
      min: 1,
      max: 100_000,
      meaning: 'data that one scan may transfer, in megabytes',
    }),
    memoryMegabytes: integer('SCANNER_MEMORY_MB', {
      default: 1500,
      min: 300,
      max: 100_000,
      meaning:
        'memory that Chromium may use with all its processes, in megabytes; it is replaced when it uses more',
    }),
    diskMegabytes: integer('SCANNER_DISK_MB', {
      default: 250,
      min: 100,
      max: 100_000,
      meaning:
        'disk space that the profile of Chromium may take, in megabytes, 50 of them for its cache; it is replaced when it takes more',
    }),
    retentionDays: integer('SCAN_RETENTION_DAYS', {
      default: 90,
      min: 1,
      max: 365,
      meaning: 'how long screenshots and HARs of scans are kept, in days; results are kept for 12 months',
    }),
    /** Start addresses offered for a project without domains: in the demo, the demo shop. */
    demoUrls: derived((): string[] => []),
  },
  check: ({ sandbox }, read, own) => {
    if (!sandbox && read.value(serviceSettings.settings.production))
      read.refuse(own.sandbox, 'must be on in production: scanned pages are not trusted.');
  },
});

export type ScanSettings = SettingsOf<typeof scanSettings>;
