export const door = 'consent';
