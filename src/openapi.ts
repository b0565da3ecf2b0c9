import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { BRAND } from './shared/brand.js';

/** Describes the API as it is; the committed `openapi.json` is this document. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle(`${BRAND} consent API`)
    .setDescription(
      'Stores visitors’ consent records and forwards each to the owner’s HTTPS endpoint. ' +
        'Refusals are problem documents (RFC 9457) with a stable `code`. Lists are `{ items, nextCursor }`.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key of the project' })
    .addCookieAuth('session')
    .build();
  return SwaggerModule.createDocument(app, config);
}

/** Serves the document at `/docs` (for people) and `/docs-json`. */
export function mountApiDocs(app: INestApplication): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), { jsonDocumentUrl: 'docs-json' });
}
