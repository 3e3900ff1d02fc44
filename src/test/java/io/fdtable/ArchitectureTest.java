package io.fdtable;

import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

/**
 * Holds the rooms apart: arrows point web → trace → session → syscall → kernel, and the
 * two lowest rooms are plain, deterministic Java.
 */
@AnalyzeClasses(packages = "io.fdtable", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

	private static final String KERNEL = "io.fdtable.kernel..";

	private static final String SYSCALL = "io.fdtable.syscall..";

	private static final DescribedPredicate<JavaClass> PLAIN_JAVA = resideInAnyPackage("java.lang",
			"java.lang.annotation", "java.lang.invoke", "java.lang.runtime", "java.util", "java.util.concurrent..",
			"java.util.function", "java.util.stream", "org.jspecify.annotations")
		.and(DescribedPredicate.not(belongToAnyOf(Random.class, ThreadLocalRandom.class, UUID.class)));

	@ArchTest
	static final ArchRule arrows_point_one_way = layeredArchitecture().consideringOnlyDependenciesInLayers()
		.optionalLayer("web")
		.definedBy("io.fdtable.web..")
		.optionalLayer("trace")
		.definedBy("io.fdtable.trace..")
		.optionalLayer("session")
		.definedBy("io.fdtable.session..")
		.optionalLayer("syscall")
		.definedBy(SYSCALL)
		.optionalLayer("kernel")
		.definedBy(KERNEL)
		.whereLayer("web")
		.mayNotBeAccessedByAnyLayer()
		.whereLayer("trace")
		.mayOnlyBeAccessedByLayers("web")
		.whereLayer("session")
		.mayOnlyBeAccessedByLayers("web", "trace")
		.whereLayer("syscall")
		.mayOnlyBeAccessedByLayers("web", "trace", "session")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule kernel_is_plain_java = classes().that()
		.resideInAPackage(KERNEL)
		.should()
		.onlyDependOnClassesThat(PLAIN_JAVA.or(resideInAnyPackage(KERNEL)))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule syscall_is_plain_java_on_the_kernel = classes().that()
		.resideInAPackage(SYSCALL)
		.should()
		.onlyDependOnClassesThat(PLAIN_JAVA.or(resideInAnyPackage(KERNEL, SYSCALL)))
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule kernel_and_syscall_read_no_clock_and_no_dice = noClasses().that()
		.resideInAnyPackage(KERNEL, SYSCALL)
		.should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.callMethod(System.class, "nanoTime")
		.orShould()
		.callMethod(Math.class, "random")
		.allowEmptyShould(true);

}
