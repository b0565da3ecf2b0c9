import { Link } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import type { ProjectResponse } from '../../client/types.gen';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { t } from '../../i18n/i18n';
import { type SetupStep, useSetup } from './use-setup';
import './setup.css';

/** The steps that remain where records arrive already; nothing once all are done. */
export function RemainingSteps({ project }: { project: ProjectResponse }) {
  const steps = useSetup(project);
  if (!steps || steps.every(({ done }) => done)) return null;
  return <SetupSteps project={project} steps={steps} />;
}

/** The steps in a row, the next one marked. */
export function SetupSteps({ project, steps }: { project: ProjectResponse; steps: SetupStep[] }) {
  const next = steps.find(({ done }) => !done);
  return (
    <ol className="card set-up" aria-label={t('setup.title')}>
      {steps.map((step, index) => (
        <li key={step.name} data-done={step.done} data-next={step === next || undefined}>
          <span className="set-up-number" aria-hidden>
            {step.done ? <Check className="icon" /> : index + 1}
          </span>
          {step.done ? (
            <b>
              {t(`setup.steps.${step.name}`)}
              <VisuallyHidden>{t('setup.done')}</VisuallyHidden>
            </b>
          ) : (
            <Link to={step.to} params={{ projectId: project.id }}>
              {t(`setup.steps.${step.name}`)}
            </Link>
          )}
          <small>
            {step.name === 'domains' && project.domains[0] !== undefined
              ? project.domains[0]
              : t(`setup.hints.${step.name}`)}
          </small>
        </li>
      ))}
    </ol>
  );
}
