import { Injectable } from '@nestjs/common';
import { hashPassword, verifyPassword } from 'better-auth/crypto';

/** Password hashes as better-auth makes and reads them: scrypt, with a salt of their own. */
@Injectable()
export class Passwords {
  hash(password: string): Promise<string> {
    return hashPassword(password);
  }

  /** Whether the password is the one that was hashed. */
  matches(password: string, hash: string): Promise<boolean> {
    return verifyPassword({ hash, password });
  }
}
