/** The demo's user. Its domain is reserved, so no mail ever reaches the address. */
export const DEMO_OWNER_EMAIL = 'demo@example.com';
