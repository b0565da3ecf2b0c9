import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { API_KEY_SCHEME, SESSION_SCHEME } from './api-description.js';
import { serveApiDocument } from './api-document.js';
import { completeContract } from './openapi-contract.js';
import { addChecks } from './openapi-derived.js';
import { BRAND } from '../identity/brand.js';
import { securityHeaders } from '../http/security-headers.js';

/** Descriptions of the groups of routes. */
const TAGS: Record<string, string> = {
  'Sign-in': 'User accounts and sessions',
  Projects: 'Projects: one per website or group of websites',
  Audit: 'Audit log',
  Members: 'Project members and their roles',
  'API keys': 'API keys, each for one project',
  Consents: 'Consent records: stored by the banner, read and exported by the project',
  Privacy: 'Find and erase the records of a visitor',
  Visitors: 'What visitors can do with their own records, using the key stored on their device',
  Analytics: 'Consent counts and rates',
  Forwarding: "Forwarding of records to the project's endpoint, and the delivery log",
  Licensing: 'Tiers, prices, and features',
  Billing: "Subscriptions and the billing provider's webhooks",
  Publishing: 'Banner configuration and its publications',
  CDN: 'Files that the website loads',
};

/** Names of operations whose handler and controller don't describe them well. */
const OPERATION_IDS: Record<string, string> = {
  ExportController_export: 'consentExport',
  AnalyticsController_consents: 'consentAnalytics',
};

/** Describes the current API; the committed `openapi.json` is this document. */
function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(`${BRAND} consent API`)
    .setDescription(
      'Stores visitors’ consent records and forwards each one to the owner’s HTTPS endpoint. ' +
        'Errors are problem documents (RFC 9457) with a stable `code`. Lists are `{ items, nextCursor }`. ' +
        'A path that does not know a method returns 405 with `Allow`. `x-response-headers` names the security headers ' +
        'that every response may carry beside those of its operation.',
    )
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'The server of this document')
    .addSecurity(API_KEY_SCHEME, { type: 'http', scheme: 'bearer', description: 'API key of a project' })
    .addSecurity(SESSION_SCHEME, {
      type: 'apiKey',
      in: 'cookie',
      name: 'auth.session_token',
      description: 'Set by signing in. Over https its name is `__Host-auth.session_token`.',
    });
  for (const [name, description] of Object.entries(TAGS)) config.addTag(name, description);
  const document = SwaggerModule.createDocument(app, config.build(), { operationIdFactory: operationId });
  addChecks(document, app, operationId);
  const headers = securityHeaders(true).filter((_, at) => at % 2 === 0);
  return { ...completeContract(document), 'x-response-headers': headers } as OpenAPIObject;
}

/** `ProjectController.create` ─▶ `projectCreate`: the function's name in generated clients. */
function operationId(controller: string, method: string): string {
  const known = OPERATION_IDS[`${controller}_${method}`];
  const noun = controller.replace(/Controller$/, '');
  return known ?? noun[0]?.toLowerCase() + noun.slice(1) + method[0]?.toUpperCase() + method.slice(1);
}

/**
 * Serves the document at `/docs` (for people), `/docs-json` and `/docs-yaml`. It is built once per
 * process.
 */
export function mountApiDocs(app: INestApplication): void {
  let built: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (built ??= describeApi(app));
  serveApiDocument(app, document);
  SwaggerModule.setup('docs', app, document, { raw: false });
}
