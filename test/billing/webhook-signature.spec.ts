import { describe, expect, it } from '@jest/globals';
import { verifiedPayload } from '../../src/modules/billing/infrastructure/stripe-gateway.js';
import { signatureOf, stripeEvent, stripeSubscription } from '../support/fakes/fake-stripe.js';
import { TEST_WEBHOOK_SECRET } from '../support/programs/service.js';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const PAYLOAD = JSON.stringify(stripeEvent('customer.subscription.updated', stripeSubscription()));

const verifiedAfter = (seconds: number): unknown =>
  verifiedPayload(Buffer.from(PAYLOAD), signatureOf(PAYLOAD, { at: NOW }), {
    secrets: [TEST_WEBHOOK_SECRET],
    now: new Date(NOW.getTime() + seconds * 1000),
  });

describe('verifiedPayload (design §6.4)', () => {
  it.each([-300, 0, 300])('takes a signature that is %i s old', (seconds) => {
    expect(verifiedAfter(seconds)).toEqual(JSON.parse(PAYLOAD));
  });

  it.each([-301, 301])('refuses one that is %i s old', (seconds) => {
    expect(() => verifiedAfter(seconds)).toThrow(
      'The timestamp of the signature differs from the server time by more than 300 s.',
    );
  });
});
