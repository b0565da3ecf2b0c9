import * as taken from 'pg';

export { taken };
