import * as taken from 'undici';

export { taken };
