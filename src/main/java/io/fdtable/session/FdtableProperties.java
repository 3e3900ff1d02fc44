package io.fdtable.session;

import java.time.Duration;

import io.fdtable.kernel.Sysctl;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;
import org.springframework.validation.annotation.Validated;

/**
 * What an operator can set, under {@code fdtable}.
 *
 * @param nrOpen the highest descriptor number plus one that any table may grow to, like
 * {@code /proc/sys/fs/nr_open}
 * @param fileMax the highest number of open files in the service, like
 * {@code /proc/sys/fs/file-max}
 * @param memory the budget for grown tables, open files, paths and contents; beyond it
 * calls answer ENOMEM; a third of the heap unless set
 * @param file what bounds files
 * @param session what bounds sessions
 * @param idempotency what bounds the answers that are kept for retries
 */
@Validated
@ConfigurationProperties("fdtable")
public record FdtableProperties(@DefaultValue("1048576") @Min(Sysctl.MIN_NR_OPEN) @Max(Sysctl.MAX_NR_OPEN) int nrOpen,
		@DefaultValue("1000000") @Min(0) long fileMax, @Nullable DataSize memory,
		@DefaultValue @Valid @NotNull File file, @DefaultValue @Valid @NotNull Session session,
		@DefaultValue @Valid @NotNull Idempotency idempotency) {

	/**
	 * Bounds of files.
	 *
	 * @param maxBytes the longest content that is kept of one file
	 */
	public record File(@DefaultValue("1MB") @NotNull DataSize maxBytes) {
	}

	/**
	 * Bounds of sessions.
	 *
	 * @param max the highest number of sessions at any one time; beyond it creating and
	 * forking answer ENFILE
	 * @param ttl how long a session may stay unused before it exits by itself
	 * @param maxTtl the longest such time that a client may ask for
	 */
	public record Session(@DefaultValue("10000") @Min(1) int max, @DefaultValue("30m") @NotNull Duration ttl,
			@DefaultValue("24h") @NotNull Duration maxTtl) {
	}

	/**
	 * Bounds of the answers that are kept under an Idempotency-Key.
	 *
	 * @param retention how long an answer is kept
	 * @param maxKeys how many answers are kept for one session at any one time
	 */
	public record Idempotency(@DefaultValue("10m") @NotNull Duration retention,
			@DefaultValue("10000") @Min(1) int maxKeys) {
	}

	Sysctl sysctl() {
		long budget = (this.memory != null) ? this.memory.toBytes() : Runtime.getRuntime().maxMemory() / 3;
		return new Sysctl(this.nrOpen, this.fileMax, this.session.max(), budget,
				Math.toIntExact(this.file.maxBytes().toBytes()));
	}

}
