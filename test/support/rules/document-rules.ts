import type { FieldError } from '../../../src/platform/errors/field-problem.js';

/** A refusal of a request that is valid by `openapi.json`, because a schema cannot express its rule. */
interface DocumentRule {
  name: string;
  /** The code of the refusal; of `validation_failed` that of the field, undefined where the field has none. */
  code: string | RegExp | undefined;
  /** The refused field; absent: the rule is about the whole request. */
  field?: RegExp;
  /** Of the field, where it has no code. */
  message?: RegExp;
  /** Operations that the rule is about; absent: any that refuses so. */
  operations?: RegExp;
  why: string;
}

const DOCUMENT_RULES: DocumentRule[] = [
  {
    name: 'cursor of this list',
    code: undefined,
    field: /^cursor$/,
    why: 'a cursor is opaque: only one that the list returned is valid',
  },
  {
    name: 'already happened',
    code: 'instant',
    field: /^(pastDueSince|endedAt)$/,
    operations: /^simulateTier/,
    why: 'compares with the clock',
  },
  {
    name: 'yet to come',
    code: 'in_the_past',
    field: /^expiresAt$/,
    operations: /^apiKeyCreate$/,
    why: 'compares with the clock',
  },
  {
    name: 'age of an id',
    code: undefined,
    field: /^id$/,
    message: /more than (7 days|5 minutes)/,
    operations: /^(consentRecord|visitorWithdraw)$/,
    why: 'compares with the clock',
  },
  {
    name: 'years in UTC',
    code: 'instant',
    message: /must be from 2000/,
    field: /./,
    why: 'an offset may move an instant out of the years that the pattern has',
  },
  {
    name: 'order of a period',
    code: 'end_before_beginning',
    field: /^(from|to)$/,
    why: 'compares two members',
  },
  {
    name: 'order of two sizes',
    code: undefined,
    field: /^from$/,
    message: /must not be larger than to/,
    why: 'compares two parameters',
  },
  {
    name: 'length of a period',
    code: 'period_too_long',
    field: /^(from|to)$/,
    why: 'compares two members',
  },
  {
    name: 'proofs in CSV alone',
    code: undefined,
    field: /^proofs$/,
    operations: /^consentExport$/,
    why: 'a parameter cannot depend on another one',
  },
  {
    name: 'no period beside an event',
    code: undefined,
    field: /^(from|to)$/,
    message: /cannot be combined with after/,
    operations: /^eventList$/,
    why: 'a parameter cannot depend on another one',
  },
  {
    name: 'readable accent',
    code: 'contrast',
    field: /(^|\.)accent(Dark)?$/,
    why: 'computes the contrast of two colors',
  },
  {
    name: 'PNG',
    code: 'png',
    field: /(^|\.)logo$/,
    why: 'reads the signature and the length of the decoded bytes',
  },
  {
    name: 'named once',
    code: 'not_unique',
    field: /(^|\.)(categories|texts)$/,
    why: 'uniqueItems compares whole items, not one member of them',
  },
  {
    name: 'texts in the default language',
    code: 'texts_missing',
    field: /^defaultLanguage$/,
    why: 'compares a member with the items of another one',
  },
  {
    name: 'preset that exists',
    code: 'preset_unknown',
    field: /(^defaultPreset|\.preset)$/,
    why: 'presets and their versions are those of GET …/configuration/presets',
  },
  {
    name: 'strictest mode',
    code: 'modes_conflict',
    field: /(^defaultMode|\.mode)$/,
    why: 'compares a member with another one',
  },
  {
    name: 'mode, modes or preset',
    code: 'modes_missing',
    field: /^regionRules\.\d+\.mode$/,
    why: 'a list of required members cannot say that one of three is enough',
  },
  {
    name: 'host name',
    code: 'host_name',
    field: /^(hostname|domains\.\d+)$/,
    why: 'international names are judged after their conversion to ASCII',
  },
  {
    name: 'literal address',
    code: undefined,
    field: /^hostname$/,
    operations: /^(consentRecord|visitorWithdraw)$/,
    why: 'IPv6 addresses are parsed',
  },
  {
    name: 'time zone',
    code: undefined,
    field: /^timeZone$/,
    operations:
      /^(analyticsOverview|analyticsDaily|projectStatusList|deliveryReadActivity|consentExport|privacyFile|logProof)$/,
    why: 'the time zones are those of the installed IANA database',
  },
  {
    name: 'policy URL',
    code: 'web_url',
    field: /^policyUrl$/,
    why: 'URLs are parsed as browsers do it',
  },
  {
    name: 'address of a scan',
    code: /^scan_urls?_/,
    field: /^urls(\.\d+)?$/,
    operations: /^scanRequest$/,
    why: 'URLs are parsed, and must be on a domain of the project',
  },
  {
    name: 'robots.txt of a verified host',
    code: 'scan_robots_unverified',
    field: /^ignoreRobots$/,
    operations: /^scanRequest$/,
    why: 'depends on earlier scans',
  },
  {
    name: 'public endpoint',
    code: /^(url_|host_|endpoint_)/,
    field: /^(endpointUrl|url)$/,
    operations: /^(forwardingSave|eventEndpointCreate|eventEndpointUpdate)$/,
    why: 'URLs are parsed as browsers do it, and the host must be public',
  },
  {
    name: 'events that are kept',
    code: 'instant',
    field: /^since$/,
    operations: /^eventEndpointRecover$/,
    why: 'counts back from now',
  },
  {
    name: 'token for this endpoint',
    code: /^token_(missing|asked_again)$/,
    field: /^bearerToken$/,
    operations: /^forwardingSave$/,
    why: 'depends on what is stored',
  },
  {
    name: 'additional fields',
    code: undefined,
    field: /.*/,
    message: /additional field/i,
    operations: /^(consentRecord|visitorWithdraw)$/,
    why: 'schemas bound neither bytes nor depth',
  },
  {
    name: 'code of a device',
    code: undefined,
    operations: /^devicePoll$/,
    why: 'only the service knows the codes that it issued',
  },
  {
    name: 'signature',
    code: /^webhook_signature_/,
    operations: /^webhookReceive/,
    why: 'is computed over the bytes of the body',
  },
];

/** The refused fields that no rule explains. */
export function unexplained(errors: FieldError[], operationId?: string): FieldError[] {
  return errors.filter(
    ({ field, code, message }) =>
      !DOCUMENT_RULES.some(
        (rule) =>
          rule.field?.test(field) === true &&
          isOfCode(rule, code) &&
          (rule.message?.test(message) ?? true) &&
          (operationId === undefined || (rule.operations?.test(operationId) ?? true)),
      ),
  );
}

/** Whether a rule explains a refusal (400, 415 or 422). */
export function isExplained(operationId: string, text: string): boolean {
  const { code, errors = [] } = JSON.parse(text) as { code: string; errors?: FieldError[] };
  if (code === 'validation_failed') return errors.length > 0 && unexplained(errors, operationId).length === 0;
  return DOCUMENT_RULES.some(
    (rule) =>
      rule.field === undefined && isOfCode(rule, code) && (rule.operations?.test(operationId) ?? true),
  );
}

function isOfCode({ code }: DocumentRule, given: string | undefined): boolean {
  return code instanceof RegExp ? given !== undefined && code.test(given) : code === given;
}
