import * as taken from 'stripe';

export { taken };
