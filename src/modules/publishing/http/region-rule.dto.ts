import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayUnique, IsBoolean, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { ListOf, ObjectOf } from '../../../platform/http/body-shape.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { coded, type FieldCode } from '../../../platform/errors/field-problem.js';
import type { PresetReference, RegionRule } from '../domain/configuration.js';
import {
  allModes,
  type CategoryModes,
  CONSENT_MODES,
  type ConsentMode,
  strictestMode,
} from '../domain/consent-modes.js';
import { findPreset, newestVersion, presetState } from '../domain/region-preset.js';

/** More countries than there are. */
const REGIONS_PER_RULE_MAX = 260;
const REGION = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;
const PRESET_ID_CHARACTERS_MAX = 32;
const PRESET_VERSION_MAX = 1_000_000;

export class CategoryModesBody implements CategoryModes {
  @ApiProperty({ enum: CONSENT_MODES }) @IsIn(CONSENT_MODES) analytics!: ConsentMode;
  @ApiProperty({ enum: CONSENT_MODES }) @IsIn(CONSENT_MODES) marketing!: ConsentMode;
  @ApiProperty({ enum: CONSENT_MODES }) @IsIn(CONSENT_MODES) preferences!: ConsentMode;
}

/** A preset in a request. */
export class PresetReferenceBody {
  @ApiProperty({ example: 'gb', description: 'Of `GET …/configuration/presets`' })
  @IsString()
  @MaxLength(PRESET_ID_CHARACTERS_MAX)
  id!: string;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: PRESET_VERSION_MAX,
    description: 'Omit for the newest version',
  })
  @IfGiven()
  @Integer({ min: 1, max: PRESET_VERSION_MAX })
  version?: number;
}

/** A preset in a response. */
export class PresetReferenceContentResponse implements PresetReference {
  @ApiProperty({ example: 'gb' }) id!: string;
  @ApiProperty({ example: 1 }) version!: number;
}

/** A region rule in a request: one of `mode`, `modes` and `preset` is required. */
export class RegionRuleBody {
  @ApiProperty({
    type: [String],
    example: ['US-CA', 'CH'],
    description: 'ISO 3166-1 alpha-2, ISO 3166-2, or EU',
  })
  @ListOf({ min: 1, max: REGIONS_PER_RULE_MAX })
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(REGION, {
    each: true,
    message: 'regions must be codes such as DE or US-CA, or EU',
    context: coded('region_code'),
  })
  regions!: string[];

  @ApiPropertyOptional({
    enum: CONSENT_MODES,
    description: 'The mode of all categories. With `modes`: the strictest of them',
  })
  @IfGiven()
  @IsIn(CONSENT_MODES)
  mode?: ConsentMode;

  @ApiPropertyOptional({ type: CategoryModesBody, description: 'The mode of each category' })
  @IfGiven()
  @ObjectOf(() => CategoryModesBody)
  modes?: CategoryModesBody;

  @ApiPropertyOptional({ type: PresetReferenceBody, description: 'Sets the modes, on each day as it says' })
  @IfGiven()
  @ObjectOf(() => PresetReferenceBody)
  preset?: PresetReferenceBody;

  @ApiPropertyOptional({
    description:
      'Whether Global Privacy Control is honored here, and always where the preset’s law requires it. Omit for the configuration’s own',
  })
  @IfGiven()
  @IsBoolean()
  honorGlobalPrivacyControl?: boolean;
}

/** A region rule in a response. */
export class RegionRuleContentResponse implements RegionRule {
  @ApiProperty({ type: [String], example: ['GB'] }) regions!: string[];
  @ApiProperty({ enum: CONSENT_MODES, description: 'The strictest of `modes`' }) mode!: ConsentMode;
  @ApiProperty({ type: CategoryModesBody }) modes!: CategoryModesBody;
  @ApiPropertyOptional({
    type: PresetReferenceContentResponse,
    description: 'Absent: the modes were set by hand',
  })
  preset?: PresetReferenceContentResponse;
  @ApiPropertyOptional({ description: 'Absent: as in the configuration' })
  honorGlobalPrivacyControl?: boolean;
}

export class PresetStateResponse {
  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'First day; null: from the beginning',
  })
  from!: string | null;
  @ApiProperty({ type: CategoryModesBody }) modes!: CategoryModesBody;
  @ApiProperty({ description: 'Whether the law requires that Global Privacy Control be honored' })
  requiresSignal!: boolean;
}

export class PresetVersionResponse {
  @ApiProperty({ example: 1 }) version!: number;
  @ApiProperty({
    format: 'date',
    description: 'Day on which we last compared it with its sources',
    example: '2026-11-27',
  })
  reviewedOn!: string;
  @ApiProperty({ type: [PresetStateResponse], description: 'Ascending; the last one that has begun applies' })
  states!: PresetStateResponse[];
}

export class PresetSourceResponse {
  @ApiProperty({ example: 'Guidance of the Information Commissioner' }) title!: string;
  @ApiProperty({ example: 'https://ico.org.uk/' }) url!: string;
}

/** The requirements of the law in some regions (docs/regions.md). */
export class RegionPresetResponse {
  @ApiProperty({ example: 'gb' }) id!: string;
  @ApiProperty({ type: [String], example: ['GB'] }) regions!: string[];
  @ApiProperty({ example: 'UK GDPR and PECR' }) law!: string;
  @ApiProperty({ type: [PresetSourceResponse] }) sources!: PresetSourceResponse[];
  @ApiProperty({ type: [PresetVersionResponse], description: 'Ascending' })
  versions!: PresetVersionResponse[];
}

/** The modes in a body: a rule's, or the default ones. */
interface GivenModes {
  mode: ConsentMode | undefined;
  modes: CategoryModesBody | undefined;
  preset: PresetReferenceBody | null | undefined;
}

/** Names of the members in a body, for errors. */
interface ModeFields {
  mode: string;
  preset: string;
}

interface ResolvedModes {
  mode: ConsentMode;
  modes: CategoryModes;
  preset: PresetReference | null;
}

/**
 * The modes that a body describes at a time; null: it describes none.
 *
 * @throws DomainError `validation_failed` if its members disagree, or the preset does not exist.
 */
export function modesGiven(
  { mode, modes, preset }: GivenModes,
  fields: ModeFields,
  at: Date,
): ResolvedModes | null {
  const strictest = modes && strictestMode(modes);
  // An older client may have changed `mode` and kept `modes` unchanged.
  if (strictest && mode && mode !== strictest)
    throw problem(fields.mode, 'modes_conflict', 'Send the strictest of the modes, or omit it.');
  if (preset) return presetModes(preset, fields.preset, at);
  if (modes && strictest) return { mode: strictest, modes: { ...modes }, preset: null };
  return mode ? { mode, modes: allModes(mode), preset: null } : null;
}

function presetModes({ id, version }: PresetReferenceBody, field: string, at: Date): ResolvedModes {
  const preset = findPreset(id);
  const applied = version ?? (preset && newestVersion(preset));
  const state = preset && applied !== undefined && presetState(preset, applied, at);
  if (!state)
    throw problem(field, 'preset_unknown', 'There is no such preset, or it does not have this version.');
  const { modes } = state;
  return { mode: strictestMode(modes), modes: { ...modes }, preset: { id, version: applied } };
}

/** The rule that a body describes. @throws DomainError `validation_failed` as above, and where it has no mode. */
export function regionRuleOf(rule: RegionRuleBody, index: number, at: Date): RegionRule {
  const { regions, honorGlobalPrivacyControl } = rule;
  const field = `regionRules.${index}`;
  const { mode, modes, preset } = rule;
  const given = modesGiven({ mode, modes, preset }, { mode: `${field}.mode`, preset: `${field}.preset` }, at);
  if (!given) throw problem(`${field}.mode`, 'modes_missing', 'Send mode, modes or a preset.');
  return {
    regions,
    mode: given.mode,
    modes: given.modes,
    ...(given.preset && { preset: given.preset }),
    ...(honorGlobalPrivacyControl !== undefined && { honorGlobalPrivacyControl }),
  };
}

function problem(field: string, code: FieldCode, message: string): Error {
  return fieldErrors([{ field, message, code }]);
}
