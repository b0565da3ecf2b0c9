/** The demo's user. No mail ever reaches this address, because nobody can own its domain. */
export const DEMO_OWNER_EMAIL = 'demo@example.com';
