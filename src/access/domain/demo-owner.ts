/** The demo's user. No mail ever reaches this address, because its domain is reserved. */
export const DEMO_OWNER_EMAIL = 'demo@example.com';
