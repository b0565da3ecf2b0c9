import * as taken from 'node:fs';

export { taken };
