export const consents = 0;
