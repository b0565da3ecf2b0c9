import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProjectDto } from '../../client/types.gen';
import { Section } from '../../shared/section';
import { State } from '../../shared/state';
import { useZone } from '../../shared/zone';
import { t } from '../../texts/texts';
import { isPublished } from '../banner/configuration';
import { overviewQueries } from './queries';

const LIVE_MS = 3_000;

/** What is still to be done until records arrive and are forwarded; gone once all of it is that the plan brings. */
export function SetUpList({ project }: { project: ProjectDto }) {
  const { zone } = useZone();
  const live = { refetchInterval: LIVE_MS };
  const queries = overviewQueries(project.id, zone);
  const configuration = useQuery({ ...queries.configuration, ...live }).data;
  const records = useQuery({ ...queries.records, ...live }).data;
  const forwarding = useQuery({ ...queries.forwarding, ...live }).data;
  const hasRecord = (records?.items.length ?? 0) > 0;
  const seen = useQuery({ ...queries.lastSeen, ...live, enabled: records !== undefined && !hasRecord }).data;
  if (!configuration || !records || !forwarding || !(hasRecord || seen)) return null;
  const steps = [
    { text: t.setUp.named, done: project.domains.length > 0, to: '/settings/project' },
    { text: t.setUp.published, done: isPublished(configuration), to: '/banner' },
    { text: t.setUp.installed, done: hasRecord || (seen?.items.length ?? 0) > 0, to: '/install' },
    { text: t.setUp.firstRecord, done: hasRecord, to: '/consents' },
    {
      text: t.setUp.endpointAnswers,
      done: forwarding.lastDeliveredAt !== null,
      to: '/settings/consent/records-and-archive',
      /** Nothing to be done without paying is left open for good. */
      ...(!forwarding.available && { note: t.shared.needsTier('Pro') }),
    },
  ];
  if (steps.every(({ done, note }) => done || note !== undefined)) return null;
  return (
    <Section title={t.setUp.title} text={t.setUp.text}>
      <ol className="set-up">
        {steps.map(({ text, done, to, note }) => (
          <li key={text} data-done={done}>
            <State is={done ? 'good' : 'waiting'}>{done ? t.setUp.done : t.setUp.open}</State>{' '}
            {done ? (
              text
            ) : (
              <>
                <Anchor component={Link} to={`/projects/${project.id}${to}`}>
                  {text}
                </Anchor>
                {note !== undefined && ` – ${note}`}
              </>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
