import * as taken from 'better-auth';

export { taken };
