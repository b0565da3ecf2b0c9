import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { ApiBodyExample, ApiRefusals } from '../../../platform/openapi/api-description.js';
import { CurrentAuthor, CurrentProject, ProjectRole } from '../../access/access.decorators.js';
import type { Author } from '../../audit/domain/author.js';
import { DOMAIN_INPUT_CHARACTERS_MAX } from '../../projects/domain/domain-name.js';
import type { Project } from '../../projects/domain/project.js';
import { CustomDomainService, type DomainView } from '../application/custom-domain.service.js';
import {
  DOMAIN_METHODS,
  DOMAIN_PROBLEMS,
  DOMAIN_STATES,
  type DomainMethod,
  type DomainProblem,
  type DomainState,
} from '../domain/custom-domain.js';

const date = { type: String, format: 'date-time', nullable: true } as const;

class AddDomainBody {
  @ApiProperty({
    example: 'consent.example.com',
    description: 'A host below the registrable domain of one of the project’s domains',
  })
  @TextLine({ min: 1, max: DOMAIN_INPUT_CHARACTERS_MAX })
  hostname!: string;
}

class DomainRecordResponse {
  @ApiProperty({ enum: ['CNAME', 'TXT'] }) type!: 'CNAME' | 'TXT';
  @ApiProperty({ example: 'consent.example.com' }) name!: string;
  @ApiProperty({ example: '0f3a5c7e9b1d2f4a6c8e0b2d4f6a8c0e.edge.example.net' }) value!: string;
}

class DomainRecordsResponse {
  @ApiProperty({ type: DomainRecordResponse, description: 'The host points to the service' })
  cname!: DomainRecordResponse;
  @ApiProperty({
    type: DomainRecordResponse,
    description: 'For an apex domain, or a host behind a proxy, which cannot have that CNAME',
    example: {
      type: 'TXT',
      name: '_service-challenge.consent.example.com',
      value: '0f3a5c7e9b1d2f4a6c8e0b2d4f6a8c0e',
    },
  })
  txt!: DomainRecordResponse;
}

class DomainCertificateResponse {
  @ApiProperty({
    description: 'Whether the edge may get a certificate: the last good check is less than 24 hours old',
  })
  allowed!: boolean;
  @ApiProperty({ ...date, description: 'Last time the edge was allowed one' }) askedAt!: Date | null;
  @ApiProperty({ description: 'Whether the last check could read the CAA records' }) caaKnown!: boolean;
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Certificate authorities that CAA records allow; null: any, or not known',
  })
  caaIssuers!: string[] | null;
  @ApiProperty({
    description: 'Whether CAA records keep the edge’s certificate authority from issuing',
    example: false,
  })
  caaForbids!: boolean;
}

class CustomDomainResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'consent.example.com' }) hostname!: string;
  @ApiProperty({
    enum: DOMAIN_STATES,
    description:
      'pending: not verified yet. verified: the records are right. active: it has served a request. failing: a check failed. suspended: it serves nothing',
    example: 'active',
  })
  state!: DomainState;
  @ApiProperty({ type: String, format: 'date-time' }) stateSince!: Date;
  @ApiProperty({
    ...date,
    description:
      'When the state ends unless a check is good: pending and suspended domains are removed, failing ones suspended',
  })
  stateEndsAt!: Date | null;
  @ApiProperty({ type: DomainRecordsResponse, description: 'One of the two is required' })
  records!: DomainRecordsResponse;
  @ApiProperty({
    enum: DOMAIN_METHODS,
    nullable: true,
    description: 'The record that the last good check found',
    example: 'cname',
  })
  method!: DomainMethod | null;
  @ApiProperty({ ...date, description: 'Last check' }) checkedAt!: Date | null;
  @ApiProperty({ ...date, description: 'Last good check' }) goodAt!: Date | null;
  @ApiProperty({ type: String, format: 'date-time', example: '2026-12-01T10:30:00.000Z' }) nextCheckAt!: Date;
  @ApiProperty({ enum: DOMAIN_PROBLEMS, nullable: true, description: 'Why the last check was not good' })
  problem!: DomainProblem | null;
  @ApiProperty({ type: String, nullable: true, description: 'What DNS returned instead of the record' })
  found!: string | null;
  @ApiProperty({ ...date, description: 'Last request over the host, to the hour' }) seenAt!: Date | null;
  @ApiProperty({ type: DomainCertificateResponse }) certificate!: DomainCertificateResponse;
  @ApiProperty({ type: String, format: 'date-time' }) createdAt!: Date;

  static of(view: DomainView): CustomDomainResponse {
    const { id, hostname, state, stateSince, stateEndsAt, records, method } = view;
    const { checkedAt, goodAt, nextCheckAt, problem, found, seenAt, createdAt } = view;
    const { mayGetCertificate: allowed, certificateAskedAt: askedAt, caaKnown } = view;
    const { caaIssuers, caaForbids } = view;
    return {
      id,
      hostname,
      state,
      stateSince,
      stateEndsAt,
      records,
      method,
      checkedAt,
      goodAt,
      nextCheckAt,
      problem,
      found,
      seenAt,
      certificate: { allowed, askedAt, caaKnown, caaIssuers, caaForbids },
      createdAt,
    };
  }
}

class CustomDomainListResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'DNS name below which CNAME records point; null: this service has no custom domains',
    example: 'edge.example.net',
  })
  target!: string | null;
  @ApiProperty({
    example: 'letsencrypt.org',
    description: 'The edge’s certificate authority, as CAA records name it',
  })
  certificateAuthority!: string;
  @ApiProperty({ description: 'Custom domains that a project can have', example: 20 }) domainsMax!: number;
  @ApiProperty({ type: [CustomDomainResponse] }) items!: CustomDomainResponse[];
}

/** Custom domains of a project (docs/first-party.md). */
@ApiTags('First party')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId/domains')
export class DomainController {
  constructor(private readonly domains: CustomDomainService) {}

  @Get()
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'List custom domains' })
  @ApiOkResponse({ type: CustomDomainListResponse })
  async list(@CurrentProject() project: Project): Promise<CustomDomainListResponse> {
    const items = await this.domains.list(project.id);
    return { ...this.domains.limits(), items: items.map((domain) => CustomDomainResponse.of(domain)) };
  }

  /**
   * Create one of `records`; the domain is checked every hour until it is verified. Another project
   * may add the same hostname: DNS decides who owns it. 429 after the day's attempts.
   */
  @Post()
  @ProjectRole('editor')
  @ApiRefusals(429, 503)
  @ApiBodyExample({ hostname: 'consent.example.com' })
  @ApiOperation({ summary: 'Add a custom domain' })
  @ApiCreatedResponse({ type: CustomDomainResponse })
  @ApiConflictResponse({
    description:
      'domain_exists: the project already has this custom domain. domain_limit_reached: the project has as many as it can have.',
  })
  async add(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Body() { hostname }: AddDomainBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CustomDomainResponse> {
    const domain = await this.domains.add({ project, author }, hostname, new Date());
    response.setHeader('Location', `/v1/projects/${project.id}/domains/${domain.id}`);
    return CustomDomainResponse.of(domain);
  }

  @Get(':domainId')
  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a custom domain' })
  @ApiOkResponse({ type: CustomDomainResponse })
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async read(
    @CurrentProject() project: Project,
    @Param('domainId') domainId: string,
  ): Promise<CustomDomainResponse> {
    return CustomDomainResponse.of(await this.domains.read(project.id, domainId));
  }

  /** Returns the domain with the result. 429 after the day's attempts; scheduled checks run anyway. */
  @Post(':domainId/check')
  @ProjectRole('editor')
  @HttpCode(200)
  @ApiRefusals(429, 503)
  @ApiOperation({ summary: 'Check the DNS records of a custom domain now' })
  @ApiOkResponse({ type: CustomDomainResponse })
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async check(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('domainId') domainId: string,
  ): Promise<CustomDomainResponse> {
    return CustomDomainResponse.of(await this.domains.check({ project, author }, domainId, new Date()));
  }

  /** The host stops serving within seconds, and another project may verify it. */
  @Delete(':domainId')
  @ProjectRole('editor')
  @HttpCode(204)
  @ApiOperation({ summary: 'Remove a custom domain' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse({ description: 'domain_not_found: custom domain not found.' })
  async remove(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @Param('domainId') domainId: string,
  ): Promise<void> {
    await this.domains.remove({ project, author }, domainId);
  }
}
