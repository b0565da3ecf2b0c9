import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEventResponse } from '../../client/types.gen';
import { TruncatedText } from '../../shared/truncated-text';
import type { Column } from '../../shared/infinite-table';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { ActorNames } from './actor-names';
import { actorName, changedFields, fieldName, Target } from './change-details';

export function auditColumns(names: ActorNames): Column<AuditEventResponse>[] {
  return [
    {
      title: t('audit.when'),
      cell: ({ id, at }) => (
        <ChangeLink id={id}>
          <RelativeTime at={at} />
        </ChangeLink>
      ),
    },
    { title: t('audit.who'), cell: ({ actor }) => <ClippedText text={actorName(actor)} /> },
    {
      title: t('audit.what'),
      cell: ({ action }) => (
        <span className="sentence-cell narrow" title={t(`audit.actions.${action}`)}>
          {t(`audit.actions.${action}`)}
        </span>
      ),
    },
    {
      title: t('audit.changed'),
      cell: (event) => <ClippedText text={changedFields(event).map(fieldName).join(', ') || '–'} />,
    },
    {
      title: t('audit.target'),
      cell: ({ target }) => {
        const name = names.of.get(target ?? '');
        return name === undefined ? <Target target={target} names={names} /> : <TruncatedText text={name} />;
      },
    },
  ];
}

/** The same changes in two lines: the change with its author, and the time. */
export const auditPhoneColumns = (): Column<AuditEventResponse>[] => [
  {
    title: t('audit.what'),
    flexible: true,
    cell: ({ id, action, actor }) => (
      <>
        <ChangeLink id={id}>
          <TruncatedText text={t(`audit.actions.${action}`)} />
        </ChangeLink>
        <small>{actorName(actor)}</small>
      </>
    ),
  },
  {
    title: t('audit.when'),
    numeric: true,
    cell: (event) => (
      <>
        <RelativeTime at={event.at} />
        <small>{changedFields(event).slice(0, 1).map(fieldName).join() || '–'}</small>
      </>
    ),
  },
];

/** Opens the change over the list, whose filters stay. */
function ChangeLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, open: id })}
      className="row-link"
      onClick={(event) => event.stopPropagation()}
    >
      {children}
      <VisuallyHidden>{t('audit.openChange')}</VisuallyHidden>
    </Link>
  );
}

/** Clipped to the width of the cell. The drawer shows the whole text. */
function ClippedText({ text }: { text: string }) {
  return (
    <span className="sentence-cell short" title={text}>
      {text}
    </span>
  );
}
