export const forwarding = 0;
