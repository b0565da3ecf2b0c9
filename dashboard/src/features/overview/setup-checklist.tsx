import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ProjectResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { isPublished } from '../banner/configuration';
import { overviewQueries } from './queries';

/** A page of the project. */
type ProjectPage = Extract<LinkProps['to'], `/projects/$projectId/${string}`>;

const LIVE_MS = 3_000;

/**
 * The remaining steps until records arrive and are forwarded; hidden once all steps that the plan
 * includes are done.
 */
export function SetupChecklist({ project }: { project: ProjectResponse }) {
  const { zone } = useZone();
  const live = { refetchInterval: LIVE_MS };
  const queries = overviewQueries(project.id, zone);
  const configuration = useQuery({ ...queries.configuration, ...live }).data;
  const records = useQuery({ ...queries.records, ...live }).data;
  const forwarding = useQuery({ ...queries.forwarding, ...live }).data;
  const hasRecord = (records?.items.length ?? 0) > 0;
  const seen = useQuery({ ...queries.lastSeen, ...live, enabled: records !== undefined && !hasRecord }).data;
  if (!configuration || !records || !forwarding || !(hasRecord || seen)) return null;
  const steps: { text: string; done: boolean; to: ProjectPage; note?: string }[] = [
    {
      text: t('setup.addDomains'),
      done: project.domains.length > 0,
      to: '/projects/$projectId/settings/project',
    },
    { text: t('setup.publish'), done: isPublished(configuration), to: '/projects/$projectId/banner' },
    {
      text: t('setup.install'),
      done: isPublished(configuration) && (hasRecord || (seen?.items.length ?? 0) > 0),
      to: '/projects/$projectId/install',
    },
    { text: t('setup.firstRecord'), done: hasRecord, to: '/projects/$projectId/consents' },
    {
      text: t('setup.forward'),
      done: forwarding.lastDeliveredAt !== null,
      to: '/projects/$projectId/settings/consent/records-and-archive',
      /** Nothing to be done without paying is left open for good. */
      ...(!forwarding.available && { note: t('shared.needsTier', { tier: 'Pro' }) }),
    },
  ];
  if (steps.every(({ done, note }) => done || note !== undefined)) return null;
  return (
    <Section title={t('setup.title')} text={t('setup.text')}>
      <ol className="set-up">
        {steps.map(({ text, done, to, note }) => (
          <li key={text} data-done={done}>
            <StatusLabel status={done ? 'good' : 'waiting'}>
              {done ? t('setup.done') : t('setup.toDo')}
            </StatusLabel>{' '}
            {done ? (
              text
            ) : (
              <>
                <AnchorLink to={to} params={{ projectId: project.id }}>
                  {text}
                </AnchorLink>
                {note !== undefined && ` – ${note}`}
              </>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
