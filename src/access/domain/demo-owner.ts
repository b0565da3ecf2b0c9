/** Whom the demo signs in; no mail ever reaches her, because nobody can own this domain. */
export const DEMO_OWNER_EMAIL = 'demo@example.com';
