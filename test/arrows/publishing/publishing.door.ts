export const door = 'publishing';
