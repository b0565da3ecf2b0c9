import { SOLD_TIERS } from '../licensing/domain/catalogue.js';
import { serviceSettings } from '../../platform/settings/service.settings.js';
import { splitList, list, origin, setting, text } from '../../platform/settings/setting-kinds.js';
import { declareSettings, type Refuse, type SettingsOf } from '../../platform/settings/declare-settings.js';

/** How often a subscription is billed. */
type BillingInterval = 'month' | 'year';

/** A price of the billing provider, with its tier and interval. */
export interface SoldPrice {
  priceId: string;
  tier: (typeof SOLD_TIERS)[number];
  interval: BillingInterval;
}

const WEBHOOK_SECRETS_MAX = 3;
const WEBHOOK_SECRET = /^(?![sp]k_)[\x21-\x7e]{16,256}$/;
const SOLD_PRICE = /^([\w-]{1,255})=([a-z]+):([a-z]+)$/;
const INTERVALS: Record<string, BillingInterval> = {
  month: 'month',
  monthly: 'month',
  year: 'year',
  yearly: 'year',
};

/** Settings of selling through Stripe. */
export const billingSettings = declareSettings({
  name: 'billing',
  title: 'Billing (docs/billing.md)',
  settings: {
    /** Empty: nothing is sold here, and the payloads of webhooks are trusted (design §6.4). */
    stripeSecretKey: text('STRIPE_SECRET_KEY', {
      default: '',
      defaultShown: 'none',
      secret: true,
      meaning:
        'secret or restricted API key of Stripe; without it, billing is off and webhook payloads are trusted as sent ' +
        '([docs/billing.md](billing.md))',
      check: (key, refuse) => {
        if (!/^(sk|rk)_\w+$/.test(key))
          refuse('must be a secret or restricted API key of Stripe (sk_… or rk_…).');
      },
    }),
    /** Any of them may have signed a webhook; several during a rotation. */
    webhookSecrets: list('STRIPE_WEBHOOK_SECRETS', {
      default: [],
      defaultShown: 'generated in development',
      secret: true,
      meaning: `signing secrets of the webhook endpoint, comma-separated, at most ${WEBHOOK_SECRETS_MAX}; required with the key`,
      check: (secrets, refuse) => {
        if (secrets.length > WEBHOOK_SECRETS_MAX || !secrets.every((secret) => WEBHOOK_SECRET.test(secret)))
          refuse(
            `must be a comma-separated list of at most ${WEBHOOK_SECRETS_MAX} signing secrets (whsec_…).`,
          );
      },
    }),
    /** The first price of a tier and interval is sold; the others remain known. */
    prices: setting<SoldPrice[]>('STRIPE_PRICES', {
      default: [],
      defaultShown: 'none',
      meaning:
        'products for sale: price ids of Stripe with tier and interval, as `price_id=tier:interval`, comma-separated',
      parse: parseSoldPrices,
    }),
    stripeApiBase: origin('STRIPE_API_BASE', {
      default: 'https://api.stripe.com',
      meaning: 'origin of the Stripe API, for tests',
    }),
  },
  check: ({ stripeSecretKey, webhookSecrets, stripeApiBase }, read, own) => {
    if (!read.value(serviceSettings.settings.production)) return;
    // A service that sells nothing needs no Stripe: its webhook then refuses everything.
    if (stripeSecretKey && webhookSecrets.length === 0)
      read.refuse(
        own.webhookSecrets,
        'must be set with STRIPE_SECRET_KEY, to the signing secret of the webhook.',
      );
    if (!stripeApiBase.startsWith('https://'))
      read.refuse(own.stripeApiBase, 'must use https in production.');
  },
});

export type BillingSettings = SettingsOf<typeof billingSettings>;

function parseSoldPrices(raw: string, refuse: Refuse): SoldPrice[] {
  const prices = splitList(raw).map((entry) => {
    const [, priceId = '', tierKey, intervalKey = ''] = SOLD_PRICE.exec(entry) ?? [];
    const tier = SOLD_TIERS.find((sold) => sold === tierKey);
    const interval = INTERVALS[intervalKey];
    return tier && interval ? { priceId, tier, interval } : null;
  });
  const read = prices.filter((price) => price !== null);
  if (read.length < prices.length || new Set(read.map(({ priceId }) => priceId)).size < read.length)
    refuse(
      `must be a comma-separated list of price_id=tier:interval, with the tier ${SOLD_TIERS.join(' or ')}, the interval month or year, and each price once.`,
    );
  return read;
}
