export const putTogether = 0;
