import { Button, Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AuditEventResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { ActorNames } from './actor-names';
import { actorName, BeforeAfter, Target } from './change-details';

interface DrawerProps {
  changeId: string | undefined;
  /** The listed events, which usually include it. */
  shown: AuditEventResponse[];
  /** Reads the changes of one millisecond. */
  readChanges: (moment: Moment) => Promise<AuditEventResponse[]>;
  names: ActorNames;
  onClose: () => void;
  onlyBy: (actorId: string) => void;
}

/** One change, whole. */
export function ChangeDrawer(props: DrawerProps) {
  const { changeId } = props;
  return (
    <Drawer
      opened={changeId !== undefined}
      onClose={props.onClose}
      position="right"
      size="lg"
      title={t('audit.change')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {changeId !== undefined && <Change key={changeId} {...props} changeId={changeId} />}
    </Drawer>
  );
}

function Change(props: DrawerProps & { changeId: string }) {
  const { changeId, shown, names, onlyBy } = props;
  const inList = shown.find(({ id }) => id === changeId);
  const moment = momentOf(changeId);
  const query = useQuery({
    queryKey: ['change', changeId],
    queryFn: () => (moment === null ? [] : props.readChanges(moment)),
    enabled: inList === undefined && moment !== null,
  });
  const change = inList ?? query.data?.find(({ id }) => id === changeId);
  if (!change) {
    if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
    return query.isLoading ? <SkeletonRows rows={6} /> : <Text>{t('audit.notFound')}</Text>;
  }
  const { actor } = change;
  return (
    <Stack gap="lg">
      <dl className="facts">
        <dt>{t('audit.what')}</dt>
        <dd>{t(`audit.actions.${change.action}`)}</dd>
        <dt>{t('audit.when')}</dt>
        <dd>
          <AbsoluteTime at={change.at} />
        </dd>
        <dt>{t('audit.who')}</dt>
        <dd>
          {actorName(actor)}
          {(actor.kind === 'user' || actor.kind === 'api_key') && (
            <> · {t(`audit.actorKind.${actor.kind}`)}</>
          )}
        </dd>
        <dt>{t('audit.network')}</dt>
        <dd>{actor.network ?? t('audit.noNetwork')}</dd>
        <dt>{t('audit.target')}</dt>
        <dd>
          <Target target={change.target} names={names} />
        </dd>
        <dt>{t('audit.id')}</dt>
        <dd>
          <CopyId id={change.id} whole />
        </dd>
      </dl>
      <BeforeAfter before={change.before} after={change.after} names={names} />
      {actor.id !== null && (
        <div>
          <Button variant="default" onClick={() => actor.id !== null && onlyBy(actor.id)}>
            {t('audit.onlyBy', { name: actorName(actor) })}
          </Button>
        </div>
      )}
    </Stack>
  );
}

interface Moment {
  from: string;
  to: string;
}

/** The millisecond that the id begins with: the list's filters find one change by it. null: it is no id of ours. */
function momentOf(id: string): Moment | null {
  const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  const from = new Date(ms);
  const to = new Date(ms + 1);
  return Number.isNaN(to.getTime()) ? null : { from: from.toISOString(), to: to.toISOString() };
}
