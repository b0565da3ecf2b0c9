import { isIP } from 'node:net';
import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { serviceSettings } from '../../platform/settings/service.settings.js';
import { host, integer, list, nameServers, port, text } from '../../platform/settings/setting-kinds.js';

const HOST_NAME = /^(?=.{4,150}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;
/** The name of a container or of a machine in the local network. */
const LABEL = /^[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?$/;
/** In production a check needs more than one resolver. */
const RESOLVERS_MIN = 2;

/** Settings of customers' custom domains (docs/first-party.md). */
export const domainSettings = declareSettings({
  name: 'domains',
  title: 'Custom domains (docs/first-party.md)',
  settings: {
    /** In lower case; empty: custom domains are not available. */
    target: text('CUSTOM_DOMAIN_TARGET', {
      default: '',
      defaultShown: 'none: custom domains are off',
      example: 'edge.example.com',
      meaning:
        "DNS name that customers' CNAME records point below; `*.` of it must lead to the edge that has certificates",
      check: (target, refuse) => {
        if (!HOST_NAME.test(target)) refuse('must be a hostname in lower case, e.g. edge.example.com.');
      },
    }),
    ownHosts: list('CUSTOM_DOMAIN_OWN_HOSTS', {
      default: [],
      defaultShown: 'the host of `PUBLIC_BASE_URL`',
      meaning:
        'further hostnames and addresses of the service itself; with `CUSTOM_DOMAIN_TARGET`, all others but loopback are custom domains or get 404',
      check: (hosts, refuse) => {
        for (const name of hosts)
          if (!HOST_NAME.test(name) && !LABEL.test(name) && isIP(name.replace(/^\[(.*)\]$/, '$1')) === 0)
            refuse(`must list hostnames in lower case or addresses; "${name}" is invalid.`);
      },
    }),
    resolvers: nameServers('CUSTOM_DOMAIN_RESOLVERS', {
      default: ['1.1.1.1', '8.8.8.8'],
      meaning:
        'name servers that all check the records of custom domains, `address` or `address:port`; at least two in production',
    }),
    certificateAuthority: text('CUSTOM_DOMAIN_CA', {
      default: 'letsencrypt.org',
      meaning: "the edge's certificate authority, as CAA records name it",
      check: (authority, refuse) => {
        if (!HOST_NAME.test(authority)) refuse('must be a hostname in lower case, e.g. letsencrypt.org.');
      },
    }),
    askPort: port('CUSTOM_DOMAIN_ASK_PORT', {
      default: 0,
      meaning:
        'port on which the edge asks whether a host may get a certificate; never make it public; 0: none',
    }),
    askHost: host('CUSTOM_DOMAIN_ASK_HOST', {
      default: '127.0.0.1',
      meaning: 'address on which that port listens',
    }),
    perProjectMax: integer('CUSTOM_DOMAINS_PER_PROJECT', {
      default: 5,
      min: 1,
      max: 100,
      meaning: 'custom domains of a project',
    }),
    attemptsPerDay: integer('CUSTOM_DOMAIN_ATTEMPTS_PER_DAY', {
      default: 20,
      min: 1,
      max: 1000,
      meaning: 'custom domains that a project may add or check by hand in a day (UTC)',
    }),
  },
  check: ({ target, resolvers }, read, own) => {
    const production = read.value(serviceSettings.settings.production);
    if (production && target !== '' && resolvers.length < RESOLVERS_MIN)
      read.refuse(own.resolvers, `must list at least ${RESOLVERS_MIN} name servers in production.`);
  },
});

export type DomainSettings = SettingsOf<typeof domainSettings>;
