import * as taken from 'kysely';

export { taken };
