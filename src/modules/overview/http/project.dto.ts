import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, IsUUID, MaxLength, ValidateIf } from 'class-validator';
import { PASSWORD_CHARACTERS_MAX } from '../../access/domain/account.js';
import { type Role, ROLES } from '../../access/domain/role.js';
import {
  DOMAIN_INPUT_CHARACTERS_MAX,
  DOMAIN_PATTERN,
  DOMAINS_PER_PROJECT_MAX,
} from '../../projects/domain/domain-name.js';
import type { Project } from '../../projects/domain/project.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { ListOf } from '../../../platform/http/body-shape.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';
import { TextLine } from '../../../platform/http/text.decorator.js';

const PROJECT_NAME_CHARACTERS_MAX = 120;
/** Limit of the controller's name and of the contact. */
const CONTROLLER_CHARACTERS_MAX = 200;

const DOMAINS = {
  type: 'array',
  items: { type: 'string', maxLength: DOMAIN_INPUT_CHARACTERS_MAX, pattern: DOMAIN_PATTERN },
  description:
    'Host names that may send consents, at most 100, each with a dot (`localhost` in development); none: any may. Kept in lower case and punycode.',
  example: ['www.example.com'],
} as const;

const CONTROLLER_NAME = "Controller of the project's records (GDPR Art. 4(7)); null: none";
const CONTROLLER_CONTACT =
  'Contact of the controller: an email address, a web page, or a postal address; null: none';

/** A line of text, or null to remove it; absent: unchanged. */
const OptionalLine = (max: number, description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, minLength: 1, maxLength: max, description }),
    ValidateIf((_, value: unknown) => value !== undefined && value !== null),
    TextLine({ min: 1, max }),
  );

class ControllerBody {
  @OptionalLine(CONTROLLER_CHARACTERS_MAX, CONTROLLER_NAME)
  controllerName?: string | null;

  @OptionalLine(CONTROLLER_CHARACTERS_MAX, CONTROLLER_CONTACT)
  controllerContact?: string | null;
}

export class CreateProjectBody extends ControllerBody {
  @ApiProperty({ minLength: 1, maxLength: PROJECT_NAME_CHARACTERS_MAX })
  @TextLine({ min: 1, max: PROJECT_NAME_CHARACTERS_MAX })
  name!: string;

  /** Checked individually in the projects module, which names the refused ones by their index. */
  @ApiPropertyOptional({ ...DOMAINS, default: [] })
  @IfGiven()
  @ListOf({ max: DOMAINS_PER_PROJECT_MAX })
  domains?: unknown[];

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    nullable: true,
    default: null,
    description: 'Organization that the project belongs to, of which the caller is an admin; null: none.',
    example: null,
  })
  @ValidateIf((_, value: unknown) => value !== undefined && value !== null)
  @IsUUID()
  organizationId?: string | null;
}

export class MoveProjectBody {
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Organization of which the caller is an admin; null: out of its organization.',
    example: null,
  })
  @ValidateIf((_, value: unknown) => value !== null)
  @IsUUID()
  organizationId!: string | null;

  @ApiPropertyOptional({
    maxLength: PASSWORD_CHARACTERS_MAX,
    description: 'Required if the session was opened more than an hour ago.',
  })
  @IfGiven()
  @IsString()
  @MaxLength(PASSWORD_CHARACTERS_MAX)
  password?: string;
}

@MembersRule({ minProperties: 1 })
export class UpdateProjectBody extends ControllerBody {
  @ApiPropertyOptional({ minLength: 1, maxLength: PROJECT_NAME_CHARACTERS_MAX })
  @IfGiven()
  @TextLine({ min: 1, max: PROJECT_NAME_CHARACTERS_MAX })
  name?: string;

  @ApiPropertyOptional(DOMAINS)
  @IfGiven()
  @ListOf({ max: DOMAINS_PER_PROJECT_MAX })
  domains?: unknown[];
}

export class ProjectResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop' }) name!: string;
  @ApiProperty({ type: [String], example: ['shop.example'] }) domains!: string[];
  @ApiProperty({ type: String, nullable: true, description: CONTROLLER_NAME, example: 'Shop Ltd' })
  controllerName!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: CONTROLLER_CONTACT,
    example: 'privacy@shop.example',
  })
  controllerContact!: string | null;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Organization that the project belongs to; null: none',
    example: null,
  })
  organizationId!: string | null;
  @ApiProperty({ enum: ['lite', 'pro', 'business', 'enterprise'], example: 'pro' }) tier!: string;
  @ApiProperty({ enum: ROLES, description: 'Role of the caller', example: 'owner' }) role!: Role;
  @ApiProperty({ type: String, nullable: true, description: 'Reason of the latest failed delivery.' })
  lastFailureReason!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;

  /**
   * A project for a caller with this role. An expired tier that the sweeper has not updated yet is
   * shown as `lite`, never as more than entitled (design §6.2).
   */
  static of(
    project: Project,
    { role, lastFailureReason }: { role: Role; lastFailureReason: string | null },
    now: Date,
  ): ProjectResponse {
    const { id, name, domains, controllerName, controllerContact, organizationId } = project;
    const { tierValidUntil, createdAt } = project;
    const tier = tierValidUntil && tierValidUntil <= now ? 'lite' : project.tier;
    return {
      id,
      name,
      domains,
      controllerName,
      controllerContact,
      organizationId,
      tier,
      role,
      lastFailureReason,
      createdAt,
    };
  }
}

export class WithheldProjectResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop' }) name!: string;
  @ApiProperty({ enum: ROLES, description: 'Role of the caller' }) role!: Role;
}

/** Splits listed projects by whether the caller may read them. */
export function splitWithheld<Place extends { projectId: string; role: Role; withheld: boolean }>(
  places: readonly Place[],
  projects: readonly Project[],
): { readable: { project: Project; role: Role }[]; withheld: WithheldProjectResponse[] } {
  const byId = new Map(projects.map((project) => [project.id, project]));
  const known = places.flatMap(({ projectId, role, withheld }) => {
    const project = byId.get(projectId);
    return project ? [{ project, role, withheld }] : [];
  });
  return {
    readable: known.filter(({ withheld }) => !withheld),
    withheld: known
      .filter(({ withheld }) => withheld)
      .map(({ project: { id, name }, role }) => ({ id, name, role })),
  };
}

export const WITHHELD =
  'Projects of this page that require a second factor, which the caller has not set up: only their names.';

export class ProjectPageResponse {
  @ApiProperty({ type: [ProjectResponse] }) items!: ProjectResponse[];
  @ApiProperty({ type: [WithheldProjectResponse], description: WITHHELD })
  withheld!: WithheldProjectResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
