import type { ScanDetailsResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { CERTAINTIES, certaintyIn, type FindingGroup, groupsIn } from './finding-groups';
import { itemName } from './finding-sentence';
import { CERTAINTY_TONE, type VerdictTone } from './verdict';

type ScanStateResponse = ScanDetailsResponse['states'][number];

const DRIVER_KIND = /^(autoconsent|api):/;
const NAMES_MAX = 2;

/** `own`, `heuristic`, or the name of the banner. */
export const driverName = (driver: string): string => driver.replace(DRIVER_KIND, '');

/** The consent states side by side, each with its picture and its problems. */
export function ScanStates(props: {
  projectId: string;
  scan: ScanDetailsResponse;
  groups: FindingGroup[] | null;
}) {
  const { projectId, scan, groups } = props;
  if (scan.states.length === 0) return null;
  return (
    <ul className="card scan-states" aria-label={t('scans.states.title')}>
      {scan.states.map((state) => (
        <StateCard key={state.state} projectId={projectId} scanId={scan.id} state={state} groups={groups} />
      ))}
    </ul>
  );
}

function StateCard(props: {
  projectId: string;
  scanId: string;
  state: ScanStateResponse;
  groups: FindingGroup[] | null;
}) {
  const { state, groups } = props;
  const { tone, count, unit, why, names } = contentOf(state, groups);
  return (
    <li className="scan-state" data-tone={tone}>
      <h3>{t(`scans.states.${state.state}`)}</h3>
      {state.hasScreenshot ? <Screenshot {...props} /> : <span className="scan-picture" aria-hidden />}
      <p className="scan-state-count">
        <b>{count}</b> <small>{unit}</small>
      </p>
      <p className="scan-state-why">
        {why}
        {state.status === 'tested' && state.reason && ` ${t(`scans.stateReasons.${state.reason.code}`)}`}
      </p>
      {names.length > 0 && (
        <p className="mono">
          {names.slice(0, NAMES_MAX).map((name) => (
            <span key={name}>
              <VisibleText text={name} />
            </span>
          ))}
          {names.length > NAMES_MAX && (
            <span>{t('scans.moreNames', { count: names.length - NAMES_MAX })}</span>
          )}
        </p>
      )}
    </li>
  );
}

interface StateContent {
  tone: VerdictTone;
  count: string;
  unit: string;
  why: string;
  names: string[];
}

function contentOf(
  { state, status, reason, items }: ScanStateResponse,
  groups: FindingGroup[] | null,
): StateContent {
  if (status !== 'tested')
    return {
      tone: 'none',
      count: '–',
      unit: t(`scans.stateStatuses.${status}`),
      why: reason ? t(`scans.stateReasons.${reason.code}`) : '',
      names: [],
    };
  if (groups === null || items === null)
    return { tone: 'none', count: '–', unit: t('scans.stateStatuses.tested'), why: '', names: [] };
  if (state === 'accept') return accepted(items, groups);
  const found = Map.groupBy(groupsIn(groups, state), (group) => certaintyIn(group, state));
  const certainty = CERTAINTIES.find((each) => found.has(each));
  const why = t(`scans.stateTexts.${state}`);
  if (certainty === undefined)
    return { tone: 'good', count: '0', unit: t('scans.stateUnits.none'), why, names: [] };
  const listed = found.get(certainty) ?? [];
  return {
    tone: CERTAINTY_TONE[certainty],
    count: formatNumber(listed.length),
    unit: t(`scans.stateUnits.${certainty === 'open' ? 'open' : state}`),
    why,
    names: listed.map(({ first }) => itemName(first)),
  };
}

function accepted(items: number, groups: FindingGroup[]): StateContent {
  const open = groups.filter(
    ({ certainty, first }) =>
      certainty === 'open' && first.itemKind !== 'request' && first.seenIn.includes('accept'),
  );
  return {
    tone: 'good',
    count: formatNumber(items),
    unit: t('scans.stateUnits.accept'),
    why: t('scans.acceptText', { open: open.length }),
    names: open.map(({ first }) => itemName(first)),
  };
}

function Screenshot({
  projectId,
  scanId,
  state: { state },
}: {
  projectId: string;
  scanId: string;
  state: ScanStateResponse;
}) {
  const address = `/v1/projects/${projectId}/scans/${scanId}/states/${state}/screenshot`;
  return (
    <a className="scan-picture" href={address} target="_blank" rel="noopener">
      <img
        src={address}
        loading="lazy"
        width={1280}
        height={800}
        alt={t('scans.screenshotOf', { state: t(`scans.states.${state}`) })}
      />
    </a>
  );
}
