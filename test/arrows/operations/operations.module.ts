export const operations = 0;
